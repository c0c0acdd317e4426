"""States facts about French land: addresses, parcels, history."""
