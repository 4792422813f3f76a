import { type PhoneProfile, twilioProfile } from '../phone/profile.ts'
import type { Account } from './account.ts'
import type { ApiReply } from './api.ts'
import type { Form } from './form.ts'

/** The differences of a REST API that follows Twilio’s. */
export interface RestProfile {
  readonly phone: PhoneProfile
  /** Returns the path of the same request at Twilio. */
  path(path: string): string
  /** Throws `RestError` 20003 unless the header authenticates the account. */
  authenticate(authorization: string | undefined, account: Account): void
  /** Returns the form of the same request at Twilio; throws `RestError` for what the API does not accept. */
  form(method: string, path: string, form: Form): Form
  /** Returns the response of the API for Twilio’s. */
  reply(reply: ApiReply): ApiReply
}

/** Twilio itself. */
export const twilioRest: RestProfile = {
  phone: twilioProfile,
  path: path => path,
  authenticate: (authorization, account) => account.authenticate(authorization),
  form: (_method, _path, form) => form,
  reply: reply => reply,
}
