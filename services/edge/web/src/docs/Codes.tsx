// Every code of errors and warnings: its cause and what to do. The fragment of a code's address is #code-CODE.
import { useMemo } from "react";
import { type Description, problemsOf, useDescription, useDictionary } from "../api/description";
import type { DictionaryAnswer } from "../api/types";
import { useText } from "../shell/language";
import { ErrorNotice, Loading } from "../shell/states";
import { Article } from "./Article";
import styles from "./docs.module.css";
import { useTarget } from "./target";
import { codesTexts } from "./texts";

const KINDS = ["problem", "error", "warning", "other"] as const;
type Kind = (typeof KINDS)[number];

interface Meaning {
  kind: Kind;
  status: number | null;
  cause: string;
  /** Empty: that of its kind. */
  remedy: string;
}

type Codes = [code: string, meanings: Meaning[]][];

export default function Codes() {
  const t = useText(codesTexts);
  const answer = useDictionary();
  const description = useDescription();
  const codes = useMemo(
    () => (answer.data && description.data ? codesOf(answer.data, description.data) : undefined),
    [answer.data, description.data],
  );
  const failed = [answer, description].find((each) => each.isError);
  useTarget(codes !== undefined);
  return (
    <Article headings={KINDS.map((kind) => ({ id: kind, text: t.kinds[kind] }))}>
      <h1>{t.title}</h1>
      <p className={styles.lead}>{t.intro}</p>
      {failed && <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />}
      {!codes && !failed && <Loading />}
      {codes &&
        KINDS.map((kind) => (
          <section key={kind} id={kind} aria-labelledby={`${kind}-title`}>
            <h2 id={`${kind}-title`}>{t.kinds[kind]}</h2>
            <p>{t.about[kind]}</p>
            <CodesOfKind codes={codes.filter(([, [first]]) => first?.kind === kind)} />
          </section>
        ))}
    </Article>
  );
}

function CodesOfKind({ codes }: { codes: Codes }) {
  const t = useText(codesTexts);
  return codes.map(([code, meanings]) => (
    <section key={code} id={`code-${code}`} className={styles.codeEntry} aria-labelledby={`code-${code}-title`}>
      <h3 id={`code-${code}-title`}>
        <a href={`#code-${code}`}>
          <code>{code}</code>
        </a>
      </h3>
      {meanings.map(({ kind, status, cause, remedy }) => (
        <dl key={kind}>
          <dt>{t.answer}</dt>
          <dd>{status === null ? t.places[kind] : `HTTP ${status}`}</dd>
          <dt>{t.cause}</dt>
          <dd>{cause}</dd>
          <dt>{t.remedy}</dt>
          <dd>{remedy || t.remedies[kind]}</dd>
        </dl>
      ))}
    </section>
  ));
}

/**
 * The codes in the order of the dictionary. A code of several kinds is listed once, under the first. Problems that the
 * partners' endpoints do not declare are of the kind "other".
 */
function codesOf({ values }: DictionaryAnswer, description: Description): Codes {
  const declared = new Set(problemsOf(description).flatMap(({ codes }) => codes));
  const codes = new Map<string, Meaning[]>();
  for (const { group, name, description, status } of values) {
    const isOther = group === "problem" && !declared.has(name);
    const kind = isOther ? "other" : KINDS.find((each) => each === group);
    if (kind === undefined) continue;
    const [cause = "", remedy = ""] = description.split(/(?<=[.!?])\s+(.*)/s);
    codes.set(name, [...(codes.get(name) ?? []), { kind, status, cause, remedy }]);
  }
  return [...codes];
}
