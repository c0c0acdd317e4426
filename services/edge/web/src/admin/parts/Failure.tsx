import { ApiError, type Violation } from "../../shell/api";
import { useText } from "../../shell/language";
import { ErrorNotice } from "../../shell/states";
import { adminTexts } from "../texts";

/** What went wrong in the page's own words where it has any for the code; `faults` found no field to stand at. */
export function Failure({
  error,
  faults = [],
  conflict,
  onRetry,
}: {
  error: unknown;
  /** What a conflict means here. */
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
