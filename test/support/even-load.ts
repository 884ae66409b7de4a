import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Rooms whose tests mostly compute; the others mostly wait for processes that they started. */
const COMPUTES = /^src\/(?:core|config|doors|runtime)\/|^test\/(?:laws|seeds)\//;

/**
 * Tests that compute are spread evenly among those that wait, so that no core is idle. The tests beside the sources come
 * last among their kind: they are short, and one that starts many processes would end alone, long after the others. What
 * was measured before on this machine decides the rest, or the size of a file.
 */
export class EvenLoad extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const pathOf = ({ moduleId, project }: TestSpecification) => moduleId.slice(project.config.root.length + 1);
    const isShort = (file: TestSpecification) => pathOf(file).startsWith("src/");
    const ordered = [...sorted.filter((file) => !isShort(file)), ...sorted.filter(isShort)];
    const computing = ordered.filter((file) => COMPUTES.test(pathOf(file)));
    return spread(
      computing,
      ordered.filter((file) => !COMPUTES.test(pathOf(file))),
    );
  }
}

/** Both lists in their own order, the first one's items at even distances. */
function spread<T>(some: readonly T[], others: readonly T[]): T[] {
  const place = (list: readonly T[]) => list.map((item, at) => ({ item, at: (at + 0.5) / list.length }));
  return [...place(some), ...place(others)].sort((a, b) => a.at - b.at).map(({ item }) => item);
}
