package main

import "k8s.io/client-go/util/workqueue"

func run() { workqueue.NewTyped[string]().ShutDown() }
