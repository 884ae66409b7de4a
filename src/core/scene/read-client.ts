import { type Client, toClient } from "./client.ts";
import { boolean, fieldsOf, integer, type Reader, string, worldOrigin } from "./read-shape.ts";

const CLIENT_KEYS = new Set(["name", "ownSearch", "maxTools", "listChanged", "late"] as const);

/** A world names a client of the table, or says itself what the client does: then all of it. */
export const readClient: Reader<Client> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, CLIENT_KEYS);
  const known = toClient(fields.read("name", string));
  const ownSearch = fields.read("ownSearch", boolean);
  return {
    ...known,
    ownSearch: ownSearch ?? known.ownSearch,
    maxTools: fields.read("maxTools", integer(1)) ?? (ownSearch === null ? known.maxTools : null),
    listChanged: fields.read("listChanged", boolean) ?? known.listChanged,
    late: fields.read("late", boolean) ?? false,
    origin: worldOrigin(report.file, path),
  };
};
