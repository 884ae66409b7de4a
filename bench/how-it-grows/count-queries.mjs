import pg from "pg";

/** What this process has asked PostgreSQL so far: each query is a round trip. */
export const queries = { trips: 0 };

const { query } = pg.Client.prototype;
pg.Client.prototype.query = /** @type {typeof query} */ (
  /** @this {pg.Client} */ function (/** @type {never} */ ...given) {
    queries.trips += 1;
    return Reflect.apply(query, this, given);
  }
);
