import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import {
  choice,
  type Flaw,
  list,
  map,
  number,
  type PresentOf,
  placed,
  record,
  sourcedShape,
  text,
  to,
} from "../../core/shape/shape.ts";
import { noticeUnset, path, secretText } from "./server-shape.ts";

const HTTP = ["http:", "https:"];
/** What each kind of destination needs, and the addresses it takes. */
const NEEDS = {
  otlp: { key: "url", protocols: HTTP, example: "https://collector.example.com/v1/logs" },
  https: { key: "url", protocols: HTTP, example: "https://siem.example.com/rows" },
  syslog: { key: "url", protocols: ["tls:"], example: "tls://siem.example.com:6514" },
  file: { key: "path", protocols: [], example: "/var/log/toolcrib.jsonl" },
  stdout: { key: null, protocols: [], example: "" },
} as const;

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

const destination = to(
  placed(
    record(
      {
        to: choice(["otlp", "syslog", "https", "file", "stdout"], { about: "where rows go", required: true }),
        url: text({
          about: "its address: `https://…` for otlp and https, `tls://HOST:6514` for syslog",
          expands: true,
          secret: "url",
        }),
        path: path({ about: "the file, for `to: file`" }),
        format: choice(["toolcrib", "ocsf"], {
          about: "rows as they are in the log, or as events of the Open Cybersecurity Schema Framework",
          default: "toolcrib",
        }),
        headers: map(secretText, { about: "HTTP headers, for otlp and https" }),
        ca: path({ about: "file with certificates to trust instead of the system's, for syslog" }),
        cert: path({ about: "file with our own certificate, for syslog" }),
        key: path({ about: "file with the key of our certificate, for syslog" }),
      },
      { about: "one of them", valid: checkDestination },
    ),
  ),
  (written, place) => {
    noticeUnset(place, `the export of the log to ${written.to}`, "audit.export");
    return { ...written, headers: written.headers ?? new Map<string, string>(), isUnset: place.unset.length > 0 };
  },
);

function checkDestination(node: ConfigNode): Flaw | null {
  const kind = textAt(node, "to");
  if (kind === null || !isKind(kind)) return null;
  const { key, protocols, example } = NEEDS[kind];
  const written = key === null ? null : textAt(node, key);
  if (key !== null && written === null) return { text: `needs ${key}, such as ${example}`, origin: node.origin };
  if (isNull(nodeAt(node, "cert")) !== isNull(nodeAt(node, "key")))
    return { text: "has one of cert and key; a certificate of our own needs both", origin: node.origin };
  if (written === null || protocols.length === 0 || written.includes("$")) return null;
  if (!URL.canParse(written)) return { text: `url must be an address such as ${example}`, origin: node.origin };
  const { protocol, hostname } = new URL(written);
  const isWanted = protocols.some((wanted) => wanted === protocol) && hostname !== "";
  // Who called what is nobody else's business on the way.
  const isOpen = protocol === "http:" && !LOOPBACK.has(hostname);
  if (isWanted && !isOpen) return null;
  const why = isOpen ? " (http only to this machine)" : "";
  return { text: `url must be an address such as ${example}${why}`, origin: node.origin };
}

function isKind(kind: string): kind is keyof typeof NEEDS {
  return Object.hasOwn(NEEDS, kind);
}

function textAt(node: ConfigNode, key: string): string | null {
  const found = nodeAt(node, key);
  return found?.kind === "scalar" && typeof found.value === "string" && found.value !== "" ? found.value : null;
}

const days = (about: string, by: number) => number(1, { about: `days for which ${about}`, default: by });

/** The log of calls beyond what every Toolcrib writes. */
export const audit = record(
  {
    /** Null: sealed where people log in, else in the rows. */
    bodies: sourcedShape(
      choice(["rows", "sealed", "none"], {
        about:
          "where arguments of calls are kept: in the rows, sealed apart from them for auditors, or nowhere; by default `sealed` where people log in, else `rows`",
      }),
    ),
    retention: sourcedShape(
      record(
        {
          bodies: days("sealed bodies are kept", 90),
          calls: days("rows of calls are kept whole in the store", 365),
          approvals: days("rows of approvals and of what admins did are kept whole in the store", 365),
          people: days("rows of logins and of what people gave clients are kept whole in the store", 365),
        },
        { about: "for how long; what goes leaves its hash behind", default: {} },
      ),
    ),
    hold: list(
      placed(
        record({
          person: text({
            about: "a person as the log names them, such as `alice@idp.example.com`, or `*`",
            required: true,
          }),
          reason: text({ about: "why, for people" }),
        }),
      ),
      { about: "persons of whom nothing is deleted, whatever retention says", default: [] },
    ),
    export: list(destination, { about: "where rows are sent as they are written, each at least once", default: [] }),
  },
  {
    about: "the log of calls: what is kept of calls, for how long, and where it is sent",
    default: {},
    trust: { what: "log of calls" },
  },
);
export type AuditConfig = PresentOf<typeof audit>;
export type ExportConfig = AuditConfig["export"][number];
