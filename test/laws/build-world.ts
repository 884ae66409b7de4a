import { afterAll } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { GATES, type Gate } from "../../src/core/gates/gates.ts";
import { buildToolset } from "../../src/core/toolset/build-toolset.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { read } from "../fixtures/arbitraries.ts";

/** Builds worlds for the tests of a file: with one seed, all of its properties try the same ones, and none is built twice. */
export function createWorldBuilder(): (world: unknown, gates?: readonly Gate[]) => Toolset {
  const usual = new Map<string, Toolset>();
  const build = (world: unknown): Toolset => {
    const { tools, scene, wireStyle } = read(world);
    return buildToolset(buildCatalog(tools, { style: wireStyle }), scene);
  };
  afterAll(() => usual.clear());
  return (world, gates = GATES) => {
    const text = JSON.stringify(world);
    const built = usual.get(text) ?? build(world);
    usual.set(text, built);
    return gates === GATES ? built : buildToolset(built.catalog, built.scene, gates);
  };
}
