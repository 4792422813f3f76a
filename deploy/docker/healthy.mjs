// The health check of the image: whether the server in this container responds. HEALTH_URL names its address, if it is
// not the bridge.
const { DRAGOMAN_PORT = '8080', HEALTH_URL = `http://127.0.0.1:${DRAGOMAN_PORT}/live` } = process.env
const status = await fetch(HEALTH_URL, { signal: AbortSignal.timeout(4_000) }).then(
  answer => answer.status,
  () => 0,
)
process.exit(status === 200 ? 0 : 1)
