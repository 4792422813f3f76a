import { isoTime } from '../../../src/common/wall-clock.ts'
import type { Json } from '../json.ts'
import type { Channel } from './channel.ts'
import type { User } from './user.ts'

/** An embed as sent (Discord: Embed Object). */
export interface Embed extends Json {
  readonly title?: string
  readonly description?: string
  readonly color?: number
  readonly author?: { readonly name: string }
  readonly footer?: { readonly text: string }
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline?: boolean }[]
}

/** Content of a message at one time. */
export interface MessageVersion {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly content: string
  readonly embeds: readonly Embed[]
  /** Action rows and other components, as sent. */
  readonly components: readonly Json[]
  readonly attachments: readonly Attachment[]
}

/** All text of a message: its content, then each embed's author, title, description, fields and footer, a line each. */
export function textOf({ content, embeds }: MessageVersion): string {
  const lines = embeds.flatMap(({ author, title, description, fields = [], footer }) => [
    author?.name,
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ])
  return [content, ...lines].filter(line => line !== undefined && line !== '').join('\n')
}

/** The webhook that posted a message: its id, and the name and picture that it posted under. */
export interface WebhookAuthor {
  readonly id: string
  readonly name: string
  /** Undefined: the picture of the webhook itself. */
  readonly avatarUrl?: string
}

/** A file of a message. */
export interface Attachment {
  readonly id: string
  readonly filename: string
  readonly bytes: Uint8Array
}

/** Contents of a new message; `version` is its first version. */
export interface MessageOptions {
  readonly id: string
  readonly channel: Channel
  readonly author: User
  readonly version: MessageVersion
  /** The only person who sees it. */
  readonly ephemeralFor?: User
  /** "is thinking…": a deferred reply that is still pending. */
  readonly loading?: boolean
  /** The webhook that posted it. */
  readonly webhook?: WebhookAuthor
  /** The message it answers. */
  readonly reference?: Message
  /** Discord: Message Interaction Metadata. */
  readonly interaction?: Json
  /** Ids to notify: users and roles, `everyone`, `here`. */
  readonly pings: readonly string[]
  readonly flags: number
}

const EPHEMERAL = 64
const LOADING = 128

/** A message with its history: every version with its time, even after deletion. */
export class Message {
  readonly id: string
  readonly channel: Channel
  readonly author: User
  readonly ephemeral: boolean
  readonly ephemeralFor: User | undefined
  readonly webhook: WebhookAuthor | undefined
  readonly reference: Message | undefined
  readonly #interaction: Json | undefined
  readonly #versions: MessageVersion[]
  #pings: readonly string[]
  #flags: number
  #loading: boolean
  #deletedAt: number | undefined

  constructor(options: MessageOptions) {
    this.id = options.id
    this.channel = options.channel
    this.author = options.author
    this.ephemeralFor = options.ephemeralFor
    this.ephemeral = options.ephemeralFor !== undefined
    this.webhook = options.webhook
    this.reference = options.reference
    this.#interaction = options.interaction
    this.#versions = [options.version]
    this.#pings = options.pings
    this.#flags = options.flags
    this.#loading = options.loading ?? false
  }

  /** Its current or last content. */
  get content(): string {
    return this.#latest.content
  }

  get embeds(): readonly Embed[] {
    return this.#latest.embeds
  }

  get components(): readonly Json[] {
    return this.#latest.components
  }

  get attachments(): readonly Attachment[] {
    return this.#latest.attachments
  }

  /** All its current text: the content and the embeds' texts, a line each. */
  get text(): string {
    return textOf(this.#latest)
  }

  /** Every version, starting with the first one. */
  get history(): readonly MessageVersion[] {
    return this.#versions
  }

  /** Number of edits. */
  get edits(): number {
    return this.#versions.length - 1
  }

  /** Milliseconds since 1970. */
  get createdAt(): number {
    return this.#versions[0]!.at
  }

  get deleted(): boolean {
    return this.#deletedAt !== undefined
  }

  get deletedAt(): number | undefined {
    return this.#deletedAt
  }

  /** A deferred reply that is still pending. */
  get loading(): boolean {
    return this.#loading
  }

  /** Ids to notify: users and roles, `everyone`, `here`. Edits send no notifications. */
  get pings(): readonly string[] {
    return this.#pings
  }

  get flags(): number {
    return this.#flags
  }

  /** Adds a version. Completes a deferred reply. */
  edit(version: MessageVersion, { pings, flags }: { pings?: readonly string[]; flags?: number } = {}): void {
    if (this.#loading) {
      this.#versions.length = 0
      if (pings) this.#pings = pings
    }
    this.#versions.push(version)
    if (flags !== undefined) this.#flags = flags
    this.#loading = false
  }

  delete(at: number): void {
    this.#deletedAt ??= at
  }

  /** Discord: Message Object. */
  get json(): Json {
    const { author, channel, webhook, reference } = this
    return {
      id: this.id,
      channel_id: channel.id,
      author: webhook ? { ...author.json, id: webhook.id, username: webhook.name, bot: true } : author.json,
      content: this.content,
      timestamp: isoTime(this.createdAt),
      edited_timestamp: this.edits > 0 ? isoTime(this.#latest.at) : null,
      tts: false,
      mention_everyone: this.#pings.some(ping => ping === 'everyone' || ping === 'here'),
      mentions: channel.guild.usersIn(this.#pings).map(({ json }) => json),
      mention_roles: this.#pings.filter(ping => channel.guild.roles.has(ping)),
      attachments: this.attachments.map(attachmentJson),
      embeds: this.embeds.map(embed => ({ type: 'rich', ...embed })),
      components: this.components,
      pinned: false,
      type: this.#interaction ? 20 : reference ? 19 : 0,
      flags: this.#flags | (this.ephemeral ? EPHEMERAL : 0) | (this.#loading ? LOADING : 0),
      ...(webhook ? { webhook_id: webhook.id } : {}),
      ...(reference ? { message_reference: { message_id: reference.id, channel_id: channel.id } } : {}),
      ...(this.#interaction ? { interaction_metadata: this.#interaction } : {}),
    }
  }

  get #latest(): MessageVersion {
    return this.#versions.at(-1)!
  }
}

/** Discord: Attachment Object. */
function attachmentJson({ id, filename, bytes }: Attachment): Json {
  const url = `https://cdn.discordapp.com/attachments/${id}/${encodeURIComponent(filename)}`
  return { id, filename, size: bytes.length, url, proxy_url: url }
}
