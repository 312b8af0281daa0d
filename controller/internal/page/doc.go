// Package page renders the state of a program and of its controllers as sections
// of the debug page, as text and as JSON.
//
//	Program, Controller ──► Section ──► page of informer/debug
//
// The inputs are plain structs, which are also the JSON form. Their field names and
// meanings are stable; fields may be added. The text form has the first ten entries of
// each list, the JSON form has all of them.
//
// Package controller fills the structs from its State.
package page
