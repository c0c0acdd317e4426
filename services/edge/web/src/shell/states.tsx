// Placeholders for content that is loading, empty or failed, notices, and badges.
import { Button, Loader } from "@mantine/core";
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { ApiError } from "../api/client";
import { Icon, type IconName } from "./icons";
import { pageLanguage, useText } from "./language";
import styles from "./states.module.css";
import { shellTexts } from "./texts";

/** Placeholder for loading content. It appears after a delay, so that quick answers do not flicker. */
export function Loading({ label }: { label?: string }) {
  const t = useText(shellTexts);
  return (
    <div className={styles.loading} role="status">
      <Loader size="sm" aria-hidden="true" />
      <span>{label ?? t.loading}</span>
    </div>
  );
}

/** Placeholder for an empty list, with the reason and the next step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={styles.empty}>
      {icon && (
        <span className={styles.emptyIcon}>
          <Icon name={icon} size={26} />
        </span>
      )}
      <p className={styles.emptyTitle}>{title}</p>
      {children && <p className={styles.emptyText}>{children}</p>}
      {action}
    </div>
  );
}

/** An error, with the API's text if there is one, and the request id for a report. */
export function ErrorNotice({
  error,
  detail: ownDetail,
  onRetry,
}: {
  error: unknown;
  /** The page's own text, instead of the API's detail. */
  detail?: string | undefined;
  onRetry?: (() => void) | undefined;
}) {
  const { title, detail: apiDetail, id } = useErrorTexts(error);
  return <Failure title={title} detail={ownDetail ?? apiDetail} id={id} onRetry={onRetry} />;
}

function Failure({
  title,
  detail,
  id = null,
  onRetry,
}: {
  title: string;
  detail: string | null;
  id?: string | null;
  onRetry: (() => void) | undefined;
}) {
  const t = useText(shellTexts);
  return (
    <div className={styles.notice} data-tone="error" role="alert">
      <Icon name="alert" />
      <div className={styles.noticeBody}>
        <p className={styles.noticeTitle}>{title}</p>
        {detail && <p>{detail}</p>}
        {id && (
          <p className={styles.noticeSmall}>
            {t.requestId} <code>{id}</code>
          </p>
        )}
      </div>
      {onRetry && (
        <Button variant="default" size="xs" onClick={onRetry} leftSection={<Icon name="refresh" size={14} />}>
          {t.retry}
        </Button>
      )}
    </div>
  );
}

const TONE_ICONS = { info: "info", warning: "alert", success: "check" } as const satisfies Record<string, IconName>;

/** A notice that is not an error. */
export function Notice({ tone = "info", children }: { tone?: "info" | "warning" | "success"; children: ReactNode }) {
  return (
    <div className={styles.notice} data-tone={tone} role="note">
      <Icon name={TONE_ICONS[tone]} />
      <div className={styles.noticeBody}>{children}</div>
    </div>
  );
}

export type Tone = "success" | "warning" | "error" | "info" | "neutral";

/** A status in a few words. Its colours have a contrast of 4.5 to 1 in both themes, and add no information. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}

function useErrorTexts(error: unknown): { title: string; detail: string | null; id: string | null } {
  const t = useText(shellTexts);
  if (!(error instanceof ApiError)) return { title: t.failed, detail: null, id: null };
  switch (error.kind) {
    case "unreachable":
      return { title: t.unreachable, detail: t.unreachableDetail, id: null };
    case "timed_out":
      return { title: t.timedOut, detail: t.timedOutDetail, id: null };
    case "bad_answer":
      return { title: t.failed, detail: t.badAnswer, id: null };
    case "refused": {
      const { title, detail, request_id: id } = error.problem ?? { title: t.failed, detail: "" };
      return { title, detail: detail === title ? null : detail, id: id ?? null };
    }
  }
}

/** Shows the fallback instead of content that throws an error. */
export class ErrorBoundary extends Component<
  { fallback: (error: Error) => ReactNode; children: ReactNode },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : this.props.fallback(this.state.error);
  }
}

/** A file of the page that did not arrive. */
class LoadError extends Error {}

/** A component whose files are loaded when it is first shown. After a failure it offers another attempt. */
export function onDemand<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  waiting: ReactNode = <Loading />,
): ComponentType<P> {
  const loaded = () =>
    lazy(() =>
      load().catch((error: unknown) => {
        throw new LoadError(String(error));
      }),
    );
  let Content = loaded();
  return function OnDemand(props: P) {
    const [attempt, setAttempt] = useState(0);
    const retry = () => {
      Content = loaded();
      setAttempt(attempt + 1);
    };
    return (
      <ErrorBoundary key={attempt} fallback={(error) => <NotLoaded error={error} onRetry={retry} />}>
        <Suspense fallback={waiting}>
          <Content {...props} />
        </Suspense>
      </ErrorBoundary>
    );
  };
}

/** Raises errors of the loaded content again. */
function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useText(shellTexts);
  if (!(error instanceof LoadError)) throw error;
  return <Failure title={t.notLoaded} detail={t.notLoadedDetail} onRetry={onRetry} />;
}

/** Names and values in a list of descriptions. */
export function FactRows({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return facts.map(([name, value]) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  ));
}

/** The page after an unexpected error. */
export function CrashedPage({ error }: { error: Error }) {
  const t = shellTexts[pageLanguage()];
  return (
    <main className={styles.crash} role="alert">
      <h1>{t.crashed}</h1>
      <p>{t.crashedDetail}</p>
      <pre>{error.message}</pre>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </main>
  );
}
