import { readdirSync, readFileSync } from "node:fs";
import { type RequestBook, readRequestBook } from "../core/search/request-book.ts";

const FOLDER = new URL("../../requests/", import.meta.url);

/** What people ask of the tools of public servers, from the files of this package; read on first use. */
export function shippedRequests(): RequestBook {
  shipped ??= readRequestBook(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith(".txt"))
      .sort()
      .map((name) => readFileSync(new URL(name, FOLDER), "utf8")),
  );
  return shipped;
}

let shipped: RequestBook | null = null;
