// The access policy for all accounts.
import { Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AccessPolicy } from "../../api/types";
import { useText } from "../../shell/language";
import { call } from "../client";
import { Failure } from "../parts/Failure";
import { Panel } from "../parts/Section";
import { teamTexts } from "./texts";

export function SignInRule() {
  const t = useText(teamTexts);
  const queries = useQueryClient();
  const policy = useQuery({
    queryKey: ["access-policy"],
    queryFn: ({ signal }) => call<AccessPolicy>("/access-policy", { signal }),
  });
  const change = useMutation({
    mutationFn: (isRequired: boolean) =>
      call<AccessPolicy>("/access-policy", { method: "PATCH", body: { totp_required: isRequired } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Panel title={t.signInRule}>
      {policy.isError && <Failure error={policy.error} onRetry={() => void policy.refetch()} />}
      {change.isError && <Failure error={change.error} conflict={t.enrolFirst} />}
      {policy.data && (
        <Switch
          label={t.requireTotp}
          description={t.requireTotpNote}
          checked={policy.data.totp_required}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      )}
    </Panel>
  );
}
