/**
 * Environment variables that are passed to child processes: paths of programs, libraries and data, locale and time zone,
 * certificates, proxies, and variables of Node.js. Settings and secrets of the bridge are never passed on: engines are
 * third-party code and receive their settings by message.
 */
const ALLOWED: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE)$/,
  /^(SystemRoot|windir|ComSpec|PATHEXT)$/i,
  /^LC_/,
  /^(LD_LIBRARY_PATH|LD_PRELOAD|DYLD_LIBRARY_PATH|MALLOC_ARENA_MAX)$/,
  /^XDG_(DATA|CONFIG|CACHE|RUNTIME)_/,
  /^(SSL_CERT_FILE|SSL_CERT_DIR)$/,
  /^(https?_proxy|no_proxy|all_proxy)$/i,
  /^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|NODE_USE_SYSTEM_CA|NODE_NO_WARNINGS|NODE_V8_COVERAGE)$/,
  /^(ESPEAK_DATA_PATH$|PYTHONPATH$|PYTHONHOME$|CUDA_|OMP_|ORT_)/,
]

/** Returns the variables of `environment` that a child process is allowed to see. */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => ALLOWED.some(allowed => allowed.test(name))),
  )
}
