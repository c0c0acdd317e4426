import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "../shell/language";
import { request } from "./client";
import type { Division } from "./types";

/** The division of the parcel that the operator names, or else of the demo's. It needs no key. */
export function useHomeSample() {
  const { language } = useLanguage();
  return useQuery({
    queryKey: ["home-sample", language],
    queryFn: ({ signal }) =>
      request<{ parcel_id: string | null; division: Division }>("/api/v1/home-sample", { signal }),
  });
}
