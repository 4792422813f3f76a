import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { chatPrompt } from './chat-prompt.ts'
import { translationIn } from './chatter.ts'
import { HttpTranslator, type HttpTranslatorOptions, otherLanguages } from './http-translator.ts'
import { RequestDialect } from './request-dialect.ts'

export interface ChatTranslatorOptions extends HttpTranslatorOptions {
  readonly model: string
  /** Languages that the model translates, each into each other. */
  readonly languages: readonly LanguageId[]
  /** Topic of the calls, for the right terminology. */
  readonly context?: string | undefined
}

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const replySchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.union([z.string(), z.array(textPart)]) }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
})

/** Token limit of a translation: for a language with many tokens per letter, plus some overhead. */
const TOKENS_PER_LETTER = 3
const LEAST_TOKENS = 200
/** Allowance for models that reason before they answer. */
const THINKING_TOKENS = 1_000

/**
 * OpenAI's models from GPT-5 on reject `max_tokens` and any `temperature` except their own; most other servers know
 * only these.
 */
const PARTS = {
  limit: { parameters: ['max_tokens', 'max_completion_tokens'], forms: 3 },
  temperature: { parameters: ['temperature'], forms: 2 },
}
const LIMITS = ['max_tokens', 'max_completion_tokens', undefined] as const

/** Translation by a chat model at `POST /v1/chat/completions`; returns only the translation. */
export class ChatTranslator extends HttpTranslator {
  readonly #options: ChatTranslatorOptions
  readonly #dialect = new RequestDialect(PARTS)

  constructor(options: ChatTranslatorOptions, clock: Clock) {
    super('openai-chat', options, clock)
    this.#options = options
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return otherLanguages(this.#options.languages, from)
  }

  protected async ask(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const { model, context } = this.#options
    const tokens = LEAST_TOKENS + THINKING_TOKENS + text.length * TOKENS_PER_LETTER
    const reply = await this.#dialect.send(({ limit, temperature }) => {
      const limitName = LIMITS[limit]
      return this.http.json('/v1/chat/completions', {
        json: {
          model,
          messages: chatPrompt(text, from, to, context),
          ...(temperature === 0 ? { temperature: 0 } : {}),
          ...(limitName === undefined ? {} : { [limitName]: tokens }),
          stream: false,
        },
        optional: this.#dialect.parameters,
      })
    })
    const parsed = replySchema.safeParse(reply)
    if (!parsed.success) throw this.http.error('returned JSON that is not a chat completion')
    const [{ message, finish_reason: end }] = parsed.data.choices as [(typeof parsed.data.choices)[number]]
    if (end === 'length' || end === 'content_filter')
      throw this.http.error(`ended its response early (${end})`)
    const { content } = message
    const answer = typeof content === 'string' ? content : content.map(part => part.text).join('')
    const translation = translationIn(answer, text)
    if (translation === undefined) throw this.http.error('returned something other than a translation')
    return translation
  }
}
