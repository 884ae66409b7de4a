import { useEffect, useErrorBoundary, useMemo, useState } from "preact/hooks";
import { keepToken, loadToken } from "./address/token-store.ts";
import { App } from "./app.tsx";
import { ApiFailure, createApi } from "./live/api-client.ts";
import { ConnectionProvider } from "./live/connection.ts";
import { followEventStream } from "./live/event-stream.ts";
import { ShownBlock } from "./parts/shown-text.tsx";
import { TokenForm } from "./token-form.tsx";

/** Either asks for the token or shows everything. */
export function Page() {
  const [token, setToken] = useState(loadToken);
  const person = usePerson(token);
  const [wasRefused, setRefused] = useState(false);
  const [said, setSaid] = useState("");

  // A link with another token can be opened in a tab that already has one.
  useEffect(() => {
    const update = () => setToken(loadToken());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);

  const connection = useMemo(() => {
    if (token === null && person.state !== "here") return null;
    const refused = () => {
      keepToken(null);
      setRefused(token !== null);
      setToken(null);
      person.leave();
    };
    const api = createApi(token, refused);
    return { token, api, events: followEventStream(api), announce: setSaid };
  }, [token, person.state]);
  useEffect(() => () => connection?.events.close(), [connection]);

  const [broken] = useErrorBoundary();
  if (broken !== undefined) return <Broken error={broken} />;

  const submit = (next: string) => {
    keepToken(next);
    setRefused(false);
    setToken(next);
  };
  return (
    <>
      {connection === null ? (
        person.state !== "asking" && (
          <TokenForm wasRefused={wasRefused} canLogIn={person.state === "can log in"} submit={submit} />
        )
      ) : (
        <ConnectionProvider value={connection}>
          <App />
        </ConnectionProvider>
      )}
      <div class="away" role="status" aria-live="polite" data-announcer>
        {said}
      </div>
    </>
  );
}

type PersonState = "asking" | "here" | "can log in" | "nobody";

/** Whether somebody has logged in with this browser: only an answer can tell, because no script can read the cookie. */
function usePerson(token: string | null): { readonly state: PersonState; leave(): void } {
  const [state, setState] = useState<PersonState>("asking");
  useEffect(() => {
    if (token !== null || state !== "asking") return;
    const asked = new AbortController();
    createApi(null, () => {})
      .get("overview", asked.signal)
      .then(
        () => setState("here"),
        (error: unknown) => {
          if (asked.signal.aborted) return;
          setState(error instanceof ApiFailure && error.code === "http.login" ? "can log in" : "nobody");
        },
      );
    return () => asked.abort();
  }, [token, state]);
  return { state, leave: () => setState("asking") };
}

/** A bug of ours must not leave an empty page. */
function Broken({ error }: { readonly error: unknown }) {
  return (
    <main class="token-page">
      <div class="card pile sheet token-form" role="alert">
        <h1>This page broke</h1>
        <ShownBlock text={error instanceof Error ? error.message : String(error)} />
        <p>Toolcrib itself runs on. Load the page again to go on looking.</p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          Load again
        </button>
      </div>
    </main>
  );
}
