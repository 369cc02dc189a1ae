/** A town around which venues lie. Coordinates are in degrees. */
export interface Town {
  city: string
  country: string
  province: string
  zone: string
  lat: number
  lng: number
}

const town = (
  city: string,
  country: string,
  province: string,
  zone: string,
  lat: number,
  lng: number,
): Town => ({ city, country, province, zone, lat, lng })

/** Towns; the first has most venues, like the home of a regional calendar. */
export const TOWNS: readonly [Town, ...Town[]] = [
  town('Zürich', 'Switzerland', 'ZH', 'Europe/Zurich', 47.3769, 8.5417),
  town('Winterthur', 'Switzerland', 'ZH', 'Europe/Zurich', 47.4988, 8.7237),
  town('Basel', 'Switzerland', 'BS', 'Europe/Zurich', 47.5596, 7.5886),
  town('Bern', 'Switzerland', 'BE', 'Europe/Zurich', 46.948, 7.4474),
  town('Genève', 'Switzerland', 'GE', 'Europe/Zurich', 46.2044, 6.1432),
  town('Konstanz', 'Germany', 'Baden-Württemberg', 'Europe/Berlin', 47.6779, 9.1732),
  town('Freiburg', 'Germany', 'Baden-Württemberg', 'Europe/Berlin', 47.999, 7.8421),
  town('München', 'Germany', 'Bayern', 'Europe/Berlin', 48.1351, 11.582),
  town('Berlin', 'Germany', '', 'Europe/Berlin', 52.52, 13.405),
  town('Hamburg', 'Germany', '', 'Europe/Berlin', 53.5511, 9.9937),
  town('Wien', 'Austria', '', 'Europe/Vienna', 48.2082, 16.3738),
  town('Innsbruck', 'Austria', 'Tirol', 'Europe/Vienna', 47.2692, 11.4041),
  town('Lyon', 'France', 'Rhône', 'Europe/Paris', 45.764, 4.8357),
  town('Strasbourg', 'France', 'Bas-Rhin', 'Europe/Paris', 48.5734, 7.7521),
  town('Paris', 'France', '', 'Europe/Paris', 48.8566, 2.3522),
  town('Milano', 'Italy', 'MI', 'Europe/Rome', 45.4642, 9.19),
  town('Torino', 'Italy', 'TO', 'Europe/Rome', 45.0703, 7.6869),
  town('London', 'United Kingdom', 'England', 'Europe/London', 51.5072, -0.1276),
  town('Edinburgh', 'United Kingdom', 'Scotland', 'Europe/London', 55.9533, -3.1883),
  town('New York', 'United States', '', 'America/New_York', 40.7128, -74.006),
]

export const STREETS = [
  'Bahnhofstrasse',
  'Marktplatz',
  'Hauptstrasse',
  'Lindenhof',
  'Mühlegasse',
  'Rue du Lac',
  'Schulweg',
  'Seestrasse',
  'Spitalgasse',
  'Via Nuova',
  'Werkstrasse',
  'Wiesenweg',
  'Mill Lane',
  'Station Road',
  'Quai des Arts',
  'Zeughausgasse',
]

export const HOUSES = [
  'Kulturhaus',
  'Theater',
  'Town Hall',
  'Library',
  'Kunsthalle',
  'Café',
  'Jazz Club',
  'Community Centre',
  'Musikschule',
  'Museum',
  'Stadion',
  'Atelier',
  'Kino',
  'Gemeindesaal',
  'Parish Hall',
  'Kulturzentrum',
]

export const BODIES = [
  'Association',
  'Verein',
  'Collective',
  'Trust',
  'Orchestra',
  'Society',
  'Festival',
  'Kollektiv',
  'Guild',
  'Foundation',
]

/** Categories and their subcategories. A colon opens a third level. */
export const CATEGORY_TREE: Readonly<Record<string, readonly string[]>> = {
  Music: ['Classical', 'Jazz & Blues', 'Rock & Pop', 'Folk Music', 'Electronic'],
  'Stage & Dance': ['Drama', 'Musical', 'Contemporary Dance', 'Comedy'],
  'Art & Exhibitions': ['Painting & Drawing', 'Photo', 'Design', 'Vernissage'],
  Literature: ['Reading', 'Poetry Slam', 'Book Club'],
  Film: ['Documentary', 'Open-air Cinema', 'Short Films'],
  'Kids & Families': ['Crafts', 'Puppet Theatre', 'Family Concerts'],
  Sport: ['Running', 'Cycling Tours', 'Team Sports'],
  'Talks & Courses': ['Lectures', 'Language Courses', 'Computing'],
  Markets: ['Flea Markets', 'Farmers’ Markets'],
}
/** The subcategories of `Classical`, which make a third level. */
export const CLASSICAL = ['Chamber Music', 'Symphony', 'Organ']
