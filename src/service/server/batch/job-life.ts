import { after, type Clock } from '../../../common/clock.ts'
import type { BatchSettings } from '../batch-config.ts'
import { ServiceError } from '../service-error.ts'

/** Reasons that end a job early: timeouts, a disconnected client, a revoked key. */
export class JobLife implements Disposable {
  readonly #controller = new AbortController()
  readonly #upload: Disposable
  readonly #whole: Disposable

  constructor(
    clock: Clock,
    { uploadTimeoutMs, batchTimeoutMs }: Pick<BatchSettings, 'uploadTimeoutMs' | 'batchTimeoutMs'>,
  ) {
    this.#upload = after(clock, uploadTimeoutMs, () =>
      this.end(
        new ServiceError('upload_too_slow', `the request was not complete after ${uploadTimeoutMs} ms`),
      ),
    )
    this.#whole = after(clock, batchTimeoutMs, () =>
      this.end(new ServiceError('job_too_long', `the job was not finished after ${batchTimeoutMs} ms`)),
    )
  }

  /** Aborted with the `ServiceError` that ended the job. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(reason: ServiceError): void {
    this.#controller.abort(reason)
  }

  /** Resolves to the result of `upload`, unless the job ends first. */
  async uploaded<T>(upload: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const abort = () => reject(this.signal.reason)
    this.signal.addEventListener('abort', abort)
    try {
      this.signal.throwIfAborted()
      return await Promise.race([upload, promise])
    } finally {
      this.signal.removeEventListener('abort', abort)
      this.#upload[Symbol.dispose]()
    }
  }

  /** Cancels all timeouts. */
  [Symbol.dispose](): void {
    this.#upload[Symbol.dispose]()
    this.#whole[Symbol.dispose]()
  }
}
