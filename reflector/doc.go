// Package reflector keeps a store equal to what a source serves: it takes over
// the state that is there, then every change.
//
//	               ┌───────────────────────────────┐
//	ListerWatcher  │ machine: step(input) effects  │   Store
//	    list ────► │  streaming ─┐                 │ ─► Replace
//	    watch ───► │  listing ───┴─► watching      │ ─► Add, Update, Delete
//	    errors ──► │      ▲  waiting   │           │ ─► Bookmark
//	               └──────┴────────────┴───────────┘
//
// # The shortest use
//
//	store := indexer.New(indexer.Options[*Pod]{})
//	err := reflector.New(rest.NewView[*Pod](client, podInfo), store, reflector.Options[*Pod]{}).Run(ctx)
//
// client-go calls these things Reflector, ReflectorStore and ListAndWatch.
package reflector
