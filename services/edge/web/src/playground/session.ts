// The requests of a visitor and their answers. The page for people and the developer's view show the same ones.
import { useEffect, useRef, useState } from "react";
import type { Draft } from "../docs/reference/draft";
import { useApiKey } from "../shell/apiKey";
import { useLanguage } from "../shell/language";
import { type Exchange, sendRequest } from "./exchange";
import { type Call, type Drafts, firstDrafts, requestOf, type Task } from "./requests";

export type Exchanges = Partial<Record<Task, Exchange>>;

export interface Session {
  drafts: Drafts;
  exchanges: Exchanges;
  write: (task: Task, part: Partial<Draft>) => void;
  /** Sends the draft, which replaces a request of the same task. Returns null if a newer one replaced it. */
  send: (task: Task, draft: Draft) => Promise<Exchange | null>;
  cancel: (task: Task) => void;
  /** Forgets an answer. */
  drop: (task: Task) => void;
}

/** Drafts and answers while another page of the document is shown. */
const kept: { drafts: Drafts; exchanges: Exchanges } = { drafts: firstDrafts(), exchanges: {} };

export function useSession(callOf: (task: Task) => Call): Session {
  const { language } = useLanguage();
  const apiKey = useApiKey();
  const [drafts, setDrafts] = useState(kept.drafts);
  const [exchanges, setExchanges] = useState(kept.exchanges);
  const inFlight = useRef<Partial<Record<Task, AbortController>>>({});
  useEffect(() => {
    const ended = Object.entries(exchanges).filter(([, { tookMs }]) => tookMs !== null);
    Object.assign(kept, { drafts, exchanges: Object.fromEntries(ended) });
  }, [drafts, exchanges]);
  useEffect(() => {
    const all = inFlight.current;
    return () => {
      for (const controller of Object.values(all)) controller.abort();
    };
  }, []);
  const write = (task: Task, part: Partial<Draft>) =>
    setDrafts((before) => ({ ...before, [task]: { ...before[task], ...part } }));
  return {
    drafts,
    exchanges,
    write,
    send: async (task, draft) => {
      write(task, draft);
      inFlight.current[task]?.abort();
      const controller = new AbortController();
      inFlight.current[task] = controller;
      const request = requestOf(callOf(task), draft, language);
      const named = task === "divide" ? { ...request, idempotencyKey: crypto.randomUUID() } : request;
      const isCurrent = () => inFlight.current[task] === controller;
      const last = await sendRequest(named, apiKey, controller.signal, (now) => {
        if (isCurrent()) setExchanges((before) => ({ ...before, [task]: now }));
      });
      return isCurrent() ? last : null;
    },
    cancel: (task) => inFlight.current[task]?.abort(),
    drop: (task) => {
      inFlight.current[task]?.abort();
      delete inFlight.current[task];
      setExchanges(({ [task]: _, ...others }) => others);
    },
  };
}
