// Package scripted has a source, a store and a back-off for the checks of steps.
//
// A check passes a [Source] its answers: lists, watches with their events and pauses, and
// errors. The source gives each answer once and in order, then stays silent until the
// context of a request ends. It records the requests, and the [Store] its calls, so that
// the check can compare them with the promise. A [Timeline] prints what a run of a chapter
// does, with the time since its beginning.
package scripted
