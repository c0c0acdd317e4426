// Example requests for the demo commune, from the API description. A test compares them with the running service.
import { useQuery } from "@tanstack/react-query";
import { request } from "../api/client";
import { ENDPOINTS, type EndpointId } from "./endpoints";

export interface Example {
  name: string;
  body: unknown;
}

interface Description {
  paths?: Record<string, Record<string, DescribedOperation> | undefined>;
}

interface DescribedOperation {
  requestBody?: { content?: Record<string, { examples?: Record<string, { value: unknown }> } | undefined> };
}

export function useExamples(endpoint: EndpointId): readonly Example[] {
  const { data } = useQuery({
    queryKey: ["description"],
    queryFn: ({ signal }) => request<Description>("/api/v1/openapi-public.json", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === undefined ? [] : examplesOf(data, endpoint);
}

function examplesOf(description: Description, endpoint: EndpointId): Example[] {
  const { path, method } = ENDPOINTS[endpoint];
  const operation = description.paths?.[path]?.[method.toLowerCase()];
  const examples = operation?.requestBody?.content?.["application/json"]?.examples ?? {};
  return Object.entries(examples).map(([name, { value }]) => ({ name, body: value }));
}
