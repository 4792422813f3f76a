import { type PhoneProfile, twilioProfile } from '../phone/profile.ts'
import type { Account } from './account.ts'
import type { ApiReply } from './api.ts'
import { Form } from './form.ts'

/** Method and path, with the query, of a request. */
export interface RestTarget {
  readonly method: string
  readonly path: string
}

/** The differences of a REST API that follows Twilio’s. */
export interface RestProfile {
  readonly phone: PhoneProfile
  /** Returns the method and path of the same request at Twilio. */
  target(target: RestTarget): RestTarget
  /** Reads a body as fields. Throws `RestError` if it is not of the type that the API accepts. */
  body(text: string, contentType: string): Form
  /** Throws `RestError` 20003 unless the header authenticates the account. */
  authenticate(authorization: string | undefined, account: Account): void
  /** Returns the form of the same request at Twilio; throws `RestError` for what the API does not accept. */
  form(method: string, path: string, form: Form): Form
  /** Returns the response of the API for Twilio’s. */
  reply(reply: ApiReply, target: RestTarget): ApiReply
}

/** Twilio itself. */
export const twilioRest: RestProfile = {
  phone: twilioProfile,
  target: target => target,
  body: text => new Form(text),
  authenticate: (authorization, account) => account.authenticate(authorization),
  form: (_method, _path, form) => form,
  reply: reply => reply,
}
