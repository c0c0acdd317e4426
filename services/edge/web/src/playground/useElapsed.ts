import { useEffect, useState } from "react";

const TICK_MS = 100;

/** Milliseconds since the component appeared, some ten times a second. */
export function useElapsed(): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const started = performance.now();
    const timer = setInterval(() => setElapsed(performance.now() - started), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return elapsed;
}
