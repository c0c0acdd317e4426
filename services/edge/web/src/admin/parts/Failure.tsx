import { ApiError } from "../../api/client";
import type { Violation } from "../../api/types";
import { useText } from "../../shell/language";
import { ErrorNotice } from "../../shell/states";
import { adminTexts } from "../texts";

/** An error, with the page's own text for the code if there is one. `faults` have no matching field. */
export function Failure({
  error,
  faults = [],
  conflict,
  onRetry,
}: {
  error: unknown;
  /** The meaning of a conflict here. */
  conflict?: string | undefined;
  faults?: readonly Violation[];
  onRetry?: () => void;
}) {
  const t = useText(adminTexts);
  const code = error instanceof ApiError ? error.code : null;
  const said = faults.length
    ? faults.map((fault) => `${fault.pointer} – ${t.faults[fault.code] ?? fault.detail}`).join(" · ")
    : code === null
      ? undefined
      : code === "conflict" && conflict !== undefined
        ? conflict
        : t.problems[code];
  return <ErrorNotice error={error} said={said} onRetry={onRetry} />;
}
