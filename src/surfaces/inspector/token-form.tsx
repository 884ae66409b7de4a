import { useState } from "preact/hooks";
import { Failure } from "./parts/status.tsx";

interface TokenFormProps {
  /** Whether a token was tried and refused. */
  readonly wasRefused: boolean;
  /** Whether people have logins of their own here. */
  readonly canLogIn: boolean;
  submit(token: string): void;
}

/** Replaces the whole page while there is no valid token. */
export function TokenForm({ wasRefused, canLogIn, submit }: TokenFormProps) {
  const [token, setToken] = useState("");
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (token.trim() !== "") submit(token.trim());
  };
  return (
    <main class="token-page">
      <form class="card pile sheet token-form" onSubmit={onSubmit}>
        <h1>Toolcrib inspector</h1>
        {wasRefused && <Failure text="That token is not accepted." />}
        {canLogIn && (
          <p>
            <a class="primary" href="login">
              Log in
            </a>
          </p>
        )}
        <p>
          {canLogIn ? "Or open" : "Open"} the link that <code>toolcrib up</code> printed, or paste its token here.
        </p>
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}
