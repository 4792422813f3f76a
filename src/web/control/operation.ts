import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ControlContext } from './control-context.ts'
import type { ErrorName } from './errors.ts'

/** Schemas of a request’s parts; absent: the part must be empty. */
export interface Intake<P, Q, B> {
  readonly params: P
  readonly query: Q
  readonly body: B
}

/** Input of an operation. */
export interface Request<P = unknown, Q = unknown, B = unknown> extends Intake<P, Q, B> {
  /** Name of the key or link of the request. */
  readonly holder: string
  readonly raw: FastifyRequest
  readonly reply: FastifyReply
}

/** A response that is a document instead of JSON. */
export class Document {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

/** The operation responds itself, as a stream. */
export const STREAMING = Symbol('streaming')

/** An operation of the control API. Its schemas validate requests, generate the description and type the responses. */
export interface ControlOperation<P = never, Q = never, B = never> {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path under `/v1`; names in braces are parameters. */
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly about: string
  /** `key`: requires a key; `link`: also accepts a link token. Default `key`. */
  readonly access?: 'key' | 'link'
  readonly params?: z.ZodType<P>
  readonly query?: z.ZodType<Q>
  readonly body?: z.ZodType<B>
  readonly status: 200 | 201 | 202
  /** Response as JSON; absent: see `types`. */
  readonly answer?: z.ZodType
  /** Media types of responses other than JSON. */
  readonly types?: readonly string[]
  /** In addition to the errors of every request. */
  readonly errors: readonly ErrorName[]
  run(context: ControlContext, request: Request<P, Q, B>): unknown
}

/** Any operation, after `operation` has checked its types against each other. */
export type AnyOperation = ControlOperation<unknown, unknown, unknown>

export function operation<P = Record<never, never>, Q = Record<never, never>, B = undefined>(
  described: ControlOperation<P, Q, B>,
): AnyOperation {
  // The input of `run` is produced by the schemas next to it.
  return described as unknown as AnyOperation
}
