import { number, record, sourcedShape, text, to } from "../../core/shape/shape.ts";
import { noticeUnset, toAbsolute } from "./server-shape.ts";

/** The person's own file for the workspace, in the state folder. */
export const OWN_STORE = "sqlite:";
const FILE = /^sqlite:(?=.)/;

/** A file is absolute once it is read. An address with an unset variable is none: nothing else may be used instead. */
const url = to(
  text({
    about:
      "`sqlite:` for your own file of this workspace, in your state folder; `sqlite:PATH`, relative to this file; `postgres://…` for several machines",
    secret: "url",
    expands: true,
    default: OWN_STORE,
    trust: { what: "store" },
  }),
  (written, place) => {
    const { node, around, unset } = place;
    noticeUnset(place, "the store", "store.url");
    if (unset.length > 0) return "";
    if (!FILE.test(written)) return written;
    return `sqlite:${toAbsolute(written.replace(FILE, ""), around.home, around.baseOf(node.origin))}`;
  },
);

export const store = record(
  {
    url: sourcedShape(url),
    keep: sourcedShape(
      number(1, {
        about: "days for which an unchanged session is kept",
        default: 30,
        trust: { what: "how long sessions are kept" },
      }),
    ),
  },
  { about: "where sessions are kept, and for how long", default: {} },
);
