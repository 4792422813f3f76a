import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose tests wait for sound in real time, so that a file takes up to a minute. */
const SLOW = /\/test\/(e2e|faults|bridges\/discord\/channel)\//

/** Starts slow files first, so that no worker waits at the end for one that began late. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId)
    return [...sorted.filter(isSlow), ...sorted.filter(file => !isSlow(file))]
  }
}
