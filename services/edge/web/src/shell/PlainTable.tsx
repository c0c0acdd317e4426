import type { ReactNode } from "react";

/** A table with a head. `children` are the rows of its body. */
export function PlainTable({
  head,
  className,
  children,
}: {
  head: readonly string[];
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <table className={className}>
      <thead>
        <tr>
          {head.map((each) => (
            <th key={each} scope="col">
              {each}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
