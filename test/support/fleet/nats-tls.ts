import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SELF_SIGNED, TEST_KEY } from '../service/certificates.ts'

const BUCKETS = ['homes', 'day', 'quotas', 'week', 'year', 'kept']

/** TLS and users with few permissions for test servers, and the settings of nodes that connect to them. */
export class NatsTls implements AsyncDisposable {
  readonly #folder: string
  readonly #nodes: readonly string[]

  private constructor(folder: string, nodes: readonly string[]) {
    this.#folder = folder
    this.#nodes = nodes
  }

  /** Writes the certificate to its own folder. `nodes`: names of the users. */
  static async create(nodes: readonly string[]): Promise<NatsTls> {
    const tls = new NatsTls(await mkdtemp(join(tmpdir(), 'tls-')), nodes)
    await Promise.all([writeFile(tls.#certificate, SELF_SIGNED), writeFile(tls.#key, TEST_KEY)])
    return tls
  }

  /** Lines for the configuration of the servers. */
  get configuration(): string {
    const buckets = BUCKETS.map(name => `"$KV.drg_${name}.>"`).join(', ')
    const user = (node: string) => `{
      user: ${node}, password: "the password of ${node}", permissions: {
        publish: ["drg.>", "$JS.API.>", ${buckets}]
        subscribe: ["drg.all.>", "drg.node.${node}.>", "_INBOX_${node}.>"]
        allow_responses: { max: 1, expires: "10s" }
      } }`
    return `tls { cert_file: "${this.#certificate}", key_file: "${this.#key}" }
      authorization { users: [${this.#nodes.map(user).join(', ')}] }`
  }

  /** `fleet.nats` of a node, without its servers. */
  settings(node: string) {
    return { user: node, password: `the password of ${node}`, tls: { ca: this.#certificate } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #certificate(): string {
    return join(this.#folder, 'cert.pem')
  }

  get #key(): string {
    return join(this.#folder, 'key.pem')
  }
}
