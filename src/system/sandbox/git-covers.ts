import { dirname, relative, sep } from "node:path";
import { statPath } from "./guard-path.ts";
import type { CoveredPath } from "./sandbox-spec.ts";

/** Where git finds, inside the sandbox, which files are covered. */
export const ATTRIBUTES = "/run/toolcrib/attributes";

/**
 * Settings that make git treat a covered file as unchanged: adding it adds git's own version. A file unknown to git
 * cannot be added, and git says so.
 */
const COVER_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.attributesFile", ATTRIBUTES],
  ["filter.covered.clean", "git cat-file blob :%f"],
  ["filter.covered.required", "true"],
];

/** Those settings as variables, after the ones that a command has already. */
export function toSettingVariables(given: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const before = Number(given.GIT_CONFIG_COUNT ?? 0) || 0;
  return [
    ["GIT_CONFIG_COUNT", String(before + COVER_SETTINGS.length)],
    ...COVER_SETTINGS.flatMap(([key, value], at): readonly (readonly [string, string])[] => [
      [`GIT_CONFIG_KEY_${before + at}`, key],
      [`GIT_CONFIG_VALUE_${before + at}`, value],
    ]),
  ];
}

/** An attributes file that names the covered files, for each repository that contains them. */
export function toAttributes(covers: readonly CoveredPath[]): string {
  return covers
    .filter(({ kind, path }) => kind === "file" && !/\p{Cc}/u.test(path))
    .flatMap(({ path }) =>
      treesAbove(path).map((tree) => {
        const pattern = `/${relative(tree, path)}`.replace(/[*?[\\]/g, "\\$&");
        return `${JSON.stringify(pattern)} filter=covered -text\n`;
      }),
    )
    .join("");
}

function treesAbove(path: string): readonly string[] {
  const trees: string[] = [];
  for (let folder = dirname(path); folder !== sep; folder = dirname(folder))
    if (statPath(`${folder}/.git`) !== undefined) trees.push(folder);
  return trees;
}
