// The health check of the image: whether the server in this container responds, at the address of its settings: a file,
// DRAGOMAN_CONFIG or variables. HEALTH_URL names another address, as for `dragoman service`.
const address = process.env.HEALTH_URL ?? (await liveAddress())
const status = await fetch(address, { signal: AbortSignal.timeout(4_000) }).then(
  answer => answer.status,
  () => 0,
)
process.exit(status === 200 ? 0 : 1)

async function liveAddress() {
  const { loadConfig } = await import('./dist/app/settings/load.js')
  const { host, port } = loadConfig()
  const reachable =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${reachable}:${port}/live`
}
