// Package controller calls a function of yours with the key of an object,
// whenever something about that object may have changed, until what is there is
// what was asked for.
//
//	informers                        one queue          MaxConcurrentReconciles
//	┌──────────┐ For      Request{                     ┌────────┐
//	│ widgets  ├──────►  Namespace,  ─► priority,  ──► │ worker │──► Reconcile(ctx, Request)
//	├──────────┤ Owns     Name }        each key       ├────────┤       │ error: again, later
//	│ pods     ├──────►               once             │ worker │       │ RequeueAfter: then
//	├──────────┤ Watches                ▲              └────────┘       ▼ nil: done
//	│ configs  ├──────►                 └──────────────────────────── the key may come again
//	└──────────┘
//
// What comes in are informers and the rules by which a change of an object
// becomes a key. What goes out are calls of Reconcile, which reads from the
// informers, writes to the server, and can be called again at any time.
//
// # The shortest use
//
//	factory := informer.NewFactory(informer.FactoryOptions{})
//	widgets := informer.For(factory, rest.NewView[*Widget](client, widgetInfo), informer.Options[*Widget]{})
//
//	c := controller.New("widgets", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
//		widget, ok := widgets.Get(req.String())
//		if !ok {
//			return controller.Result{}, nil // it is gone
//		}
//		...
//	}), controller.Options{})
//	controller.For(c, widgets, controller.GenerationChanged)
//
//	err := controller.Run(ctx, controller.RunOptions{Factory: factory}, c)
package controller
