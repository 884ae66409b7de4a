import { takeToken } from "./address.ts";

const KEY = "toolcrib.token";

/** Takes the token out of the address, so that it is in no history, bookmark or shared link; else the stored one. */
export function loadToken(): string | null {
  const taken = takeToken(location.hash);
  if (taken !== null) {
    keepToken(taken.token);
    history.replaceState(null, "", `${location.pathname}${location.search}${taken.rest}`);
    return taken.token;
  }
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Stored for this tab only; null forgets it. */
export function keepToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // Without storage it lasts as long as the page.
  }
}
