import type { components } from "./schema.js";

export type Problem = components["schemas"]["Problem"];

/** The service, or a gateway before it, refused the request. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";

  constructor(
    readonly status: number,
    /** What the service said; incomplete if a gateway answered. */
    readonly problem: Partial<Problem>,
  ) {
    super(`${status} ${problem.code ?? ""} ${problem.detail ?? ""}`.trim());
  }

  /** The code to program against; empty if a gateway answered. */
  get code(): string {
    return this.problem.code ?? "";
  }
}

/** No complete answer came. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";
}
