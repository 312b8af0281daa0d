// Package debug shows what informers are doing: a page for a browser or curl,
// and the same as JSON for programs.
//
//	                     ┌──────────── Handler ───────────┐
//	informers ─ State ─► │ how each of them fares         │
//	          ─ Keys ──► │ what is in its store, by pages │ ──► html, json, text
//	          ─ Object ► │ one object, without secrets    │
//	Trace ─► Timeline ─► │ what happened to it, and when  │
//	                     └────────────────────────────────┘
//
// What comes in are informers of any type, such as a factory's. What goes out is
// read with GET; nothing can be changed by it.
//
// # The shortest use
//
//	http.Handle("/debug/informers/", debug.New(debug.Options{Informers: factory.Informers}))
//
// With what happened to each object lately:
//
//	timeline := debug.NewTimeline(debug.TimelineOptions{})
//	pods := informer.New(view, informer.Options[*Pod]{Trace: timeline.Trace()})
//	page := debug.New(debug.Options{
//		Informers: func() []informer.AnyInformer { return []informer.AnyInformer{pods} },
//		Timeline:  timeline,
//	})
//
// # What can be asked
//
// All of it stands in the query; the path is whatever the handler was given.
//
//	(nothing)                   every informer, and how it fares
//	?informer=ID                one of them, and the first keys of its store in order
//	  &prefix=P                 only keys that begin so
//	  &limit=N                  at most so many: 100 unless said otherwise, 1000 at most
//	  &continue=K               those after this one: the answer before said which
//	  &objects=true             with the objects
//	?informer=ID&key=K          one object, and its timeline; it may be gone
//	  &format=html|json|text    in place of the Accept header; curl gets text
//
// An ID is an informer's name, with #2, #3 ... behind it where several have the
// same.
//
// # The JSON
//
// Names and meanings stay as they are; more fields may come. Times are RFC 3339,
// and those that would say never are left out. Fields marked with ? are missing
// where they would say nothing.
//
//	now                     when it was answered
//	sections?               what else there is to see, a list of Options.Sections
//	  title, state?
//	informers               of all of them, a list
//	informer                of a store or a key: one of these
//	  id, name              see above
//	  resource?             such as deployments.apps
//	  running, synced
//	  version, epoch        the store's
//	  objects, queued       how many are stored, how many changes wait to be
//	  source                how the reflector fares
//	    phase, mode         what it is doing, how it had the initial state
//	    modeReason?         why it did not stream that
//	    version, epoch      how far it is
//	    lastEvent?, lastBookmark?
//	    relists, relistReason?
//	    undecodable         how many objects were left out
//	    error?, since?      the last failure since all was well, when the first was
//	    failures, retryAt?  how many there were, when the next attempt is due
//	  handlers              a list
//	    name, synced
//	    pending             how many notifications wait
//	    merged, panics
//	    since?              when the callback that runs began
//	keys                    of a store: a page of them
//	objects?                the objects of these, a list
//	continue?               there are more: ask for what comes after this one
//	key                     of an object
//	object?, hidden?        itself, or why it is not shown
//	stored                  whether it is there now
//	events?                 its timeline, the oldest event first
//	  version
//	  steps                 a list, in order of time
//	    at, stage, event
//	    handler?
//	  forgotten?            how many steps between these there was no room for
//	error                   what is wrong with the question, and nothing else
//
// # What is promised
//
//   - Nothing about objects but their keys, and with a Timeline their versions,
//     is told unless Options.Objects is set. The page lies next to metrics and
//     profiles, where nobody asks who may read what.
//   - With Objects, no data of a Secret is told, by whatever Go type it is looked
//     at: of a Secret only apiVersion, kind, type, immutable and metadata without
//     the annotations are shown. Where neither the source nor the object says
//     what it is, data, stringData and annotations are taken out, as it may be
//     one. The annotation in which kubectl keeps a copy of an object is taken out
//     of all.
//   - No answer is larger than some megabytes and one object, however much is
//     stored. JSON that is so deep that indenting it would do nothing but blow it
//     up is not indented.
//   - Informers do not notice that they are looked at: no lock of theirs is taken,
//     no object changed.
//   - What comes from outside is text: it becomes neither markup nor control
//     characters of a terminal.
//   - A Timeline's memory is bounded, and an informer without a Trace pays nothing
//     for there being one.
//
// # Rules
//
//   - Who may see the page is for you to say, by where it is served. Keys are names
//     of things, too.
//   - Secrets are found by the JSON names of their fields. If a Transform of yours
//     moves them elsewhere, or other objects of yours hold some, take them out with
//     Options.Redact.
//   - Errors are shown as they are. They say what was wrong where, but one of an
//     UnmarshalJSON of yours may quote what it was given.
//   - A page of a large store looks at all its keys: some 100 ms for a million.
//     Objects of a page are read one after another; the store may have moved on
//     between two of them.
//   - Informers that share a name share their timelines. Give them names.
//
// client-go has no such page. Its nearest relatives are the debugger of
// kube-scheduler, which dumps its cache to the log on a signal, and the gauges
// of its workqueue.
package debug
