import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose tests wait for audio in real time, up to a minute per file. */
const SLOW = /\/test\/(e2e|faults|scenarios\/discord)\//

/** Starts slow files first, so that the run does not end with a single slow file. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId)
    return [...sorted.filter(isSlow), ...sorted.filter(file => !isSlow(file))]
  }
}
