import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ErrorName } from './error-table.ts'
import type { Floor } from './floor.ts'

/** Schemas of what a request brings; what is absent takes nothing. */
export interface Intake<P, Q, B> {
  readonly params: P
  readonly query: Q
  readonly body: B
}

/** What an operation gets. */
export interface Request<P = unknown, Q = unknown, B = unknown> extends Intake<P, Q, B> {
  /** The name of the key, or of the link, that asks. */
  readonly holder: string
  readonly raw: FastifyRequest
  readonly reply: FastifyReply
}

/** An answer that is a document and not JSON of the schema. */
export class Document {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

/** The operation answers for itself, for as long as it likes. */
export const STREAMING = Symbol('streaming')

/** One thing that can be asked of the control API: the same words check a request, describe it, and answer it. */
export interface Operation<P = never, Q = never, B = never> {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Under `/v1`; names in braces are parts of the path. */
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly about: string
  /** `key`: by a key; `link`: also by the token of a link; `open`: by anybody. Default `key`. */
  readonly access?: 'key' | 'link' | 'open'
  readonly params?: z.ZodType<P>
  readonly query?: z.ZodType<Q>
  readonly body?: z.ZodType<B>
  readonly status: 200 | 201 | 202
  /** The answer as JSON; absent: see `types`. */
  readonly answer?: z.ZodType
  /** Media types of answers that are not JSON. */
  readonly types?: readonly string[]
  /** Beside those that any request can meet. */
  readonly errors: readonly ErrorName[]
  run(floor: Floor, request: Request<P, Q, B>): unknown
}

/** Any operation, once its own types have been checked against each other by `operation`. */
export type AnyOperation = Operation<unknown, unknown, unknown>

export function operation<P = Record<never, never>, Q = Record<never, never>, B = undefined>(
  described: Operation<P, Q, B>,
): AnyOperation {
  // What `run` gets has been made by the very schemas beside it.
  return described as unknown as AnyOperation
}
