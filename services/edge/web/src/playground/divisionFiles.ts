// A division that was answered, as a file: the same request again with another Accept. It is computed again, and its
// Idempotency-Key makes it free.
import type { Problem } from "../api/types";
import { saveAs } from "../shell/saveAs";
import { type Exchange, headersOf } from "./exchange";

export const FILE_FORMS = { dxf: "application/dxf", geopackage: "application/geopackage+sqlite3" } as const;
export type FileForm = keyof typeof FILE_FORMS;

/** The result of saving the file. */
export type Saved = { kind: "saved" } | { kind: "unreachable" } | { kind: "problem"; of: Problem };

const NAME = /filename="([^"]+)"/;

/** Fetches the file and gives it to the browser to save. */
export async function saveDivision({ request, key }: Exchange, form: FileForm, rank: number): Promise<Saved> {
  try {
    const response = await fetch(`${request.path}?proposal=${rank}`, {
      method: request.method,
      headers: { ...headersOf(request), accept: FILE_FORMS[form], ...(key === "" ? {} : { "x-api-key": key }) },
      body: request.body,
      cache: "no-store",
      credentials: "omit",
    });
    if (!response.ok) return { kind: "problem", of: (await response.json()) as Problem };
    const name = NAME.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? `division.${form}`;
    saveAs(await response.blob(), name);
    return { kind: "saved" };
  } catch {
    return { kind: "unreachable" };
  }
}
