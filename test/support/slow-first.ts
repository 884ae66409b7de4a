import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The tests beside the sources come last: they are short, and one that starts many processes would end alone, long after
 * the others. What was measured before on this machine decides among each kind, or the size of a file.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isShort = ({ moduleId, project }: TestSpecification) => moduleId.startsWith(`${project.config.root}/src/`);
    return [...sorted.filter((file) => !isShort(file)), ...sorted.filter(isShort)];
  }
}
