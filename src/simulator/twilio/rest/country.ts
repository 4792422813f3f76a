import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'

/**
 * Dialing permission of a country (Twilio: Voice Dialing Permissions, Country); undefined for an unknown country.
 * `permitted` undefined: all.
 */
export function countryJson(
  isoCode: string,
  permitted: readonly string[] | undefined,
): Record<string, unknown> | undefined {
  const iso = isoCode.toUpperCase()
  if (!isSupportedCountry(iso)) return undefined
  const url = `https://voice.twilio.com/v1/DialingPermissions/Countries/${iso}`
  return {
    iso_code: iso,
    name: new Intl.DisplayNames('en', { type: 'region' }).of(iso) ?? iso,
    continent: null,
    country_codes: [`+${getCountryCallingCode(iso)}`],
    low_risk_numbers_enabled: permitted === undefined || permitted.includes(iso),
    high_risk_special_numbers_enabled: false,
    high_risk_tollfraud_numbers_enabled: false,
    url,
    links: { highrisk_special_prefixes: `${url}/HighRiskSpecialPrefixes` },
  }
}
