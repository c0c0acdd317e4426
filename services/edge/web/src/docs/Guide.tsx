// The guide for partners: prose in two languages, with code and tables from the API description.
import { Button } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { type Description, exampleOf, problemsOf, unitsOf, useDescription, useDictionary } from "../api/description";
import { useStatus } from "../api/status";
import type { DatasetState, DictionaryAnswer } from "../api/types";
import { type Call, PREVIOUS_ANSWER } from "../samples/sample";
import { useText } from "../shell/language";
import { Article } from "./Article";
import { Code, SampleCode } from "./Code";
import { CHAPTERS, type Chapter, type GuideDocument } from "./chapters";
import { Downloads } from "./Downloads";
import styles from "./docs.module.css";
import { withOrigin } from "./MarkdownPage";
import { Table } from "./Table";
import { useTarget } from "./target";
import { docsTexts } from "./texts";

const RESOLVE = "/api/v1/addresses/resolve";
const GEOJSON = "/api/v1/land-units/geojson";
const DIVIDE = "/api/v1/assistant/divide-land";
const ADDRESS = { label: "1 rue du 8 mai 1945 Exempleville-sur-Fiction" };
const PARCEL = { parcel_ids: ["00001000AA0009"] };
const OWN_ID = { "idempotency-key": "dossier-2026-0117" };
const EVENT_STREAM = { accept: "text/event-stream", ...OWN_ID };

export function Guide({ content: { title, text, chapters } }: { content: GuideDocument }) {
  const t = useText(docsTexts);
  const { data } = useDescription();
  const { data: dictionary } = useDictionary();
  const { data: state } = useStatus();
  useTarget(data !== undefined && dictionary !== undefined && state !== undefined);
  const shown: Partial<Record<Chapter, ReactNode>> = {
    start: <FirstCall description={data} />,
    land: <SampleCode calls={[post(RESOLVE, ADDRESS), post(GEOJSON, PREVIOUS_ANSWER)]} />,
    stream: <SampleCode calls={[post(DIVIDE, PARCEL, EVENT_STREAM)]} reads="events" />,
    errors: <Errors description={data} dictionary={dictionary} />,
    retry: <SampleCode calls={[post(DIVIDE, PARCEL, OWN_ID)]} reads="json after retries" />,
    billing: (
      <Table head={[t.endpoint, t.units]}>
        {unitsOf(data)
          .filter(([, units]) => units > 0)
          .map(([path, units]) => (
            <tr key={path}>
              <td>
                <code>{path.replace("/api/v1", "")}</code>
              </td>
              <td>{units}</td>
            </tr>
          ))}
      </Table>
    ),
    versions: <Downloads />,
    data: (
      <Table isStacked head={[t.dataset, t.publisher, t.licence]}>
        {publications(state?.datasets ?? []).map(({ title, publisher, licence, url }) => (
          <tr key={url}>
            <td>
              <a href={url} target="_blank" rel="noopener noreferrer">
                {title.split(", ")[0]}
              </a>
            </td>
            <td>{publisher}</td>
            <td>{licence}</td>
          </tr>
        ))}
      </Table>
    ),
  };
  return (
    <Article headings={CHAPTERS.map((id) => ({ id, text: chapters[id].title }))}>
      <h1>{title}</h1>
      <Html className={styles.lead} text={text} />
      <div className={styles.actions}>
        <Button component="a" href="/playground">
          {t.openPlayground}
        </Button>
        <Button component="a" href="#/" variant="default">
          {t.openReference}
        </Button>
      </div>
      {CHAPTERS.map((name) => (
        <section key={name} id={name} aria-labelledby={`${name}-title`}>
          <h2 id={`${name}-title`}>{chapters[name].title}</h2>
          <Html text={chapters[name].before} />
          {shown[name]}
          <Html text={chapters[name].after} />
        </section>
      ))}
    </Article>
  );
}

function Html({ text, className }: { text: string; className?: string | undefined }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: HTML from the build, without input of users
  return <div data-prose className={className} dangerouslySetInnerHTML={{ __html: withOrigin(text) }} />;
}

function FirstCall({ description }: { description: Description | undefined }) {
  const t = useText(docsTexts);
  const example = exampleOf(description, RESOLVE, "label");
  if (example === null) return null;
  return (
    <>
      <Code text="export LP_KEY='lp_…'" label={t.keyVariable} />
      <p>{t.needs}</p>
      <SampleCode calls={[post(RESOLVE, example.request)]} />
      <Code text={JSON.stringify(example.answer, null, 2)} label={t.answer} />
    </>
  );
}

/** The first dataset of each publication. The others have the same publisher and licence. */
function publications(datasets: readonly DatasetState[]): readonly DatasetState[] {
  return datasets.filter(({ url }, index) => datasets.findIndex((each) => each.url === url) === index);
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Call {
  return {
    method: "POST",
    url: location.origin + path,
    headers: { ...headers, "content-type": "application/json" },
    body: body === PREVIOUS_ANSWER ? PREVIOUS_ANSWER : JSON.stringify(body),
  };
}

function Errors({
  description,
  dictionary,
}: {
  description: Description | undefined;
  dictionary: DictionaryAnswer | undefined;
}) {
  const t = useText(docsTexts);
  const problems = dictionary?.values.filter(({ group }) => group === "problem") ?? [];
  const meanings = new Map(problems.map(({ name, description: meaning }) => [name, meaning]));
  return (
    <Table isStacked head={[t.code, t.httpStatus, t.remedy]}>
      {problemsOf(description).map(({ status, codes }) => (
        <Fragment key={status}>
          {codes.map((code) => (
            <tr key={code}>
              <td>
                <a href={`/api/docs/codes#code-${code}`}>
                  <code>{code}</code>
                </a>
              </td>
              <td>{status}</td>
              <td>{meanings.get(code) ?? "–"}</td>
            </tr>
          ))}
        </Fragment>
      ))}
    </Table>
  );
}
