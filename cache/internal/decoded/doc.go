// Package decoded makes typed sources of ListerWatchers that return decoded
// objects: functions of a program, fakes, and clientsets.
//
// A [Source] lists in pages, copies items so that they do not keep their page in
// memory, and checks the type of each object. An object of another type is an
// error for this object only. Functions that ignore their context are abandoned
// after [CallGracePeriod]; their panics are errors.
//
// Package cache uses it for every ListerWatcher whose responses it cannot decode
// itself, and uses [WatchInterface] for clients of package rest.
package decoded
