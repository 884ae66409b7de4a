/** A browser without a screen: it keeps cookies for each host and follows redirects as a person would see them. */
export interface BrowserJar {
  /** One request, with this host's cookies; redirects are left to the caller. */
  ask(url: string, init?: RequestInit): Promise<Response>;
  /** Follows redirects, and returns where they end; stops before an address for which `until` holds. */
  open(url: string, until?: (url: string) => boolean): Promise<Arrival>;
  /** Sends the only form of a page, or the one with this action, with these fields besides its own. */
  submit(arrival: Arrival, fields?: Readonly<Record<string, string>>, action?: string): Promise<Arrival>;
  cookie(url: string, name: string): string | undefined;
  setCookie(url: string, name: string, value: string): void;
}

interface Arrival {
  readonly url: string;
  /** 0 where it stopped before asking. */
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const MOST_REDIRECTS = 20;

export function createBrowserJar(): BrowserJar {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string): Map<string, string> => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const jar = jarOf(url);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const isGone = value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line);
      if (isGone) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const follow = async (first: string, init: RequestInit, until: (url: string) => boolean): Promise<Arrival> => {
    let url = first;
    let response = await ask(url, init);
    for (let time = 0; time < MOST_REDIRECTS; time += 1) {
      const { status, headers } = response;
      const isElsewhere = status >= 300 && status < 400;
      const location = isElsewhere
        ? headers.get("location")
        : (/^0; url=(.*)$/.exec(headers.get("refresh") ?? "")?.[1] ?? null);
      if (location === null) return { url, status, headers, text: await response.text() };
      await response.arrayBuffer();
      url = new URL(location, url).href;
      if (until(url)) return { url, status: 0, headers, text: "" };
      response = await ask(url);
    }
    throw new Error(`too many redirects, the last one to ${url}`);
  };
  return {
    ask,
    open: (url, until = () => false) => follow(url, {}, until),
    submit({ url, text }, fields = {}, action) {
      const forms = [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = "", body = ""]) => ({
        action: fromHtml(/\baction="([^"]*)"/.exec(head)?.[1] ?? url),
        body,
      }));
      const form = forms.find((each) => action === undefined || each.action === action);
      if (form === undefined) throw new Error(`no form ${action ?? ""} on ${url}: ${text.slice(0, 500)}`);
      const given = new URLSearchParams();
      for (const [tag] of form.body.matchAll(/<input\b[^>]*>/g)) {
        const name = /\bname="([^"]*)"/.exec(tag)?.[1];
        if (name !== undefined) given.set(fromHtml(name), fromHtml(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? ""));
      }
      for (const [name, value] of Object.entries(fields)) given.set(name, value);
      const target = new URL(form.action, url).href;
      return follow(target, { method: "POST", body: given, headers: { origin: new URL(url).origin } }, () => false);
    },
    cookie: (url, name) => jarOf(url).get(name),
    setCookie: (url, name, value) => void jarOf(url).set(name, value),
  };
}

function fromHtml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
