import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { SECURITY_HEADERS } from '../net/security-headers.ts'
import { ControlError, fromFramework } from '../web/control/control-error.ts'

/** The longest name of a room as a part of an address, with every character escaped. */
const LONGEST_PART = 128 * 12

/**
 * How the server reads requests, so that what is wrong with an address is answered as any other error of the control
 * API is; elsewhere no more than that it is refused.
 */
export function serverOptions(): Pick<FastifyServerOptions, 'routerOptions' | 'frameworkErrors'> {
  return {
    routerOptions: { maxParamLength: LONGEST_PART },
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      const failure = request.url.startsWith('/v1/') ? fromFramework(error) : undefined
      const status = error.statusCode ?? 400
      void reply.headers(SECURITY_HEADERS)
      if (failure instanceof ControlError) void reply.status(failure.status).send(failure.body)
      else void reply.status(status).send({ statusCode: status, error: 'refused' })
    },
  }
}
