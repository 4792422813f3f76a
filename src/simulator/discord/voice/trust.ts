import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/**
 * Makes this process trust `pem` in every TLS connection without its own authorities, until disposed. The voice library
 * opens its socket without any options, so there is no narrower way.
 */
export function trust(pem: string): Disposable {
  setDefaultCACertificates([...getCACertificates('default'), pem])
  return {
    [Symbol.dispose]: () =>
      setDefaultCACertificates(getCACertificates('default').filter(each => each.trim() !== pem.trim())),
  }
}
