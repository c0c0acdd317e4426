import { type Pair, translations } from "../../shell/language";
import type { LegendItem, Theme } from "./themes";

export const mapTexts = translations({
  canvas: [
    "Carte\u00a0; les flèches la déplacent, + et − changent l’échelle. La liste qui suit dit ce qu’elle montre.",
    "Map; arrow keys move it, + and − change the scale. The list that follows says what it shows.",
  ],
  loading: ["Chargement de la carte…", "Loading the map…"],
  failed: ["La carte n’a pas pu être chargée.", "The map could not be loaded."],
  noWebGl: [
    "Ce navigateur ne peut pas dessiner la carte (WebGL manque)\u00a0; la liste dit ce qu’elle montrerait.",
    "This browser cannot draw the map (WebGL is missing); the list says what it would show.",
  ],
  background: ["Fond de carte", "Background"],
  backgrounds: {
    plan: ["Plan", "Map"],
    ortho: ["Ortho", "Aerial"],
    cadastre: ["Cadastre", "Cadastre"],
    none: ["Aucun", "None"],
  } as Record<string, Pair>,
  themes: ["Couches", "Layers"],
  themeNames: {
    zones: ["Zones", "Zones"],
    sales: ["Ventes", "Sales"],
    risks: ["Plans de risques", "Risk plans"],
  } satisfies Record<Theme, Pair>,
  legendItems: {
    ground: ["Hors parcelle\u00a0: voirie, domaine public, eau", "In no parcel: roads, public land, water"],
    house: ["Bâtiments du cadastre", "Buildings of the cadastre"],
    "zone-U": ["U, urbaine", "U, urban"],
    "zone-AU": ["AU, à urbaniser", "AU, to be urbanised"],
    "zone-A": ["A, agricole", "A, agricultural"],
    "zone-N": ["N, naturelle", "N, natural"],
    "zone-other": ["Autre zone", "Other zone"],
    sale: ["Vente\u00a0; un clic la décrit", "Sale; a click describes it"],
    "risk-forbidden": ["Plan de risques\u00a0: construction interdite", "Risk plan: no building"],
    "risk-conditions": ["Plan de risques\u00a0: sous conditions", "Risk plan: on conditions"],
    "risk-acquisition": ["Plan de risques\u00a0: délaissement ou expropriation", "Risk plan: land to be acquired"],
    "risk-unknown": ["Plan de risques\u00a0: règle inconnue", "Risk plan: rule not known"],
  } satisfies Record<LegendItem, Pair>,
  saleKinds: {
    house: ["maison", "house"],
    flat: ["appartement", "flat"],
    commercial: ["local d’activité", "commercial premises"],
    building_land: ["terrain à bâtir", "building land"],
    land: ["terrain", "land"],
  } as Record<string, Pair>,
  sold: [
    (what: string, on: string, price: string, perM2: string) =>
      `Vente\u00a0: ${what}, ${on}, ${price}, ${perM2} par m²`,
    (what: string, on: string, price: string, perM2: string) => `Sale: ${what}, ${on}, ${price}, ${perM2} per m²`,
  ],
  zoomIn: ["Agrandissez la carte pour voir cette couche.", "Zoom in to see this layer."],
  noneShown: {
    zones: ["Aucune zone chargée à cet endroit.", "No zone is loaded in this place."],
    sales: ["Aucune vente chargée à cet endroit.", "No sale is loaded in this place."],
    risks: ["Aucune zone de plan de risques chargée à cet endroit.", "No zone of a risk plan is loaded in this place."],
  } satisfies Record<Theme, Pair>,
  missing: {
    ign: ["Une partie du fond de l’IGN n’a pas répondu.", "A part of IGN's background did not answer."],
    own: ["Une partie de nos tuiles n’a pas répondu.", "A part of our own tiles did not answer."],
  } as Record<string, Pair>,
  click: [
    "Un clic ajoute une parcelle à la demande, ou l’en retire.",
    "A click adds a parcel to the request, or removes it.",
  ],
  added: [(id: string) => `Parcelle ${id} ajoutée à la demande.`, (id: string) => `Parcel ${id} added to the request.`],
  removed: [
    (id: string) => `Parcelle ${id} retirée de la demande.`,
    (id: string) => `Parcel ${id} removed from the request.`,
  ],
  demoCredit: ["Commune de démonstration, fictive", "Demo commune, fictional"],
  recentre: ["Recentrer", "Recentre"],
  legend: ["Ce que montre la carte", "What the map shows"],
  unit: ["Terrain", "Land"],
  building: [
    (count: number) => (count === 1 ? "1 bâtiment" : `${count} bâtiments`),
    (count: number) => (count === 1 ? "1 building" : `${count} buildings`),
  ],
  frontage: ["Façade sur la voie (estimation)", "Frontage on the street (estimate)"],
  address: ["Point de l’adresse", "Address point"],
  way: [
    (area: string, width: string) => `Voie commune\u00a0: ${area}, largeur ${width}`,
    (area: string, width: string) => `Shared way: ${area}, width ${width}`,
  ],
  envelope: ["Emprise constructible, après reculs", "Where a building may stand, after setbacks"],
  nothing: [
    "Rien à dessiner\u00a0: aucune géométrie dans cette réponse.",
    "Nothing to draw: this answer has no geometry.",
  ],
  controls: {
    "Map.Title": ["Carte", "Map"],
    "NavigationControl.ZoomIn": ["Agrandir", "Zoom in"],
    "NavigationControl.ZoomOut": ["Réduire", "Zoom out"],
  } as Record<string, Pair>,
});
