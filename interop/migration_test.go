package interop_test

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	clientgorest "k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/tools/record"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
)

// The functions below have the client-go code of docs/migration.md, so that it compiles.
// They are not run.
var _ = []any{
	beforeConfig, beforeClientset, beforeInformer, beforeQueue, beforeFactory, beforeDynamic, beforeMetadata,
	beforeMapper, beforeRetry, beforeLeader, beforeEvents, beforeWatch, beforeFake, beforePager,
}

func beforeConfig() (*clientgorest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	return config, err
}

func beforeClientset(ctx context.Context, config *clientgorest.Config) error {
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	m, err := clientset.CoreV1().ConfigMaps("shop").Get(ctx, "parrot", metav1.GetOptions{})
	if err != nil {
		return err
	}
	m.Data["word"] = "hello"
	_, err = clientset.CoreV1().ConfigMaps("shop").Update(ctx, m, metav1.UpdateOptions{})
	return err
}

func beforeInformer(ctx context.Context, source cache.ListerWatcher, say func(string)) error {
	inf := cache.NewSharedIndexInformer(source, &corev1.ConfigMap{}, 10*time.Minute, cache.Indexers{
		"word": func(obj any) ([]string, error) { return []string{obj.(*corev1.ConfigMap).Data["word"]}, nil },
	})
	_, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) { say(obj.(*corev1.ConfigMap).Data["word"]) },
	})
	if err != nil {
		return err
	}
	go inf.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), inf.HasSynced) {
		return ctx.Err()
	}
	found, err := inf.GetIndexer().ByIndex("word", "hello")
	for _, obj := range found {
		say(obj.(*corev1.ConfigMap).Name)
	}
	return err
}

func beforeQueue(inf cache.SharedIndexInformer, reconcile func(key string) error) error {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(key)
		}
	}
	_, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue})
	if err != nil {
		return err
	}
	for key, shutdown := queue.Get(); !shutdown; key, shutdown = queue.Get() {
		if err := reconcile(key); err != nil {
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
	return nil
}

func beforeFactory(ctx context.Context, clientset kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(clientset, 0)
	lister := factory.Core().V1().ConfigMaps().Lister()
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	m, err := lister.ConfigMaps("shop").Get("parrot")
	if err != nil {
		return err
	}
	all, err := lister.List(labels.SelectorFromSet(m.Labels))
	_ = all
	return err
}

func beforeDynamic(ctx context.Context, config *clientgorest.Config) (*dynamicinformer.DynamicSharedInformerFactory, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	w, err := client.Resource(widgets).Namespace("shop").Get(ctx, "first", metav1.GetOptions{})
	_ = w
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	inf := factory.ForResource(widgets).Informer()
	_ = inf
	return &factory, err
}

func beforeMetadata(ctx context.Context, config *clientgorest.Config) error {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	list, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).List(ctx, metav1.ListOptions{})
	_ = list
	return err
}

func beforeMapper(config *clientgorest.Config) (*meta.RESTMapping, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Widget"}, "v1")
	return mapping, err
}

func beforeRetry(ctx context.Context, clientset kubernetes.Interface) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		m, err := clientset.CoreV1().ConfigMaps("shop").Get(ctx, "parrot", metav1.GetOptions{})
		if err != nil {
			return err
		}
		m.Data["word"] = "hello"
		_, err = clientset.CoreV1().ConfigMaps("shop").Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
}

func beforeLeader(ctx context.Context, clientset kubernetes.Interface, podName string, run func(context.Context), end func()) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "shop", Name: "greeter"},
		Client:     clientset.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: podName},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: run, OnStoppedLeading: end},
	})
}

func beforeEvents(ctx context.Context, clientset kubernetes.Interface, m *metav1.PartialObjectMetadata) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: clientset.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "greeter"})
	about := &corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: m.Namespace, Name: m.Name, UID: m.UID}
	recorder.Event(about, corev1.EventTypeNormal, "Greeted", "it says hello")
}

func beforeWatch(ctx context.Context, source cache.ListerWatcher) error {
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.ConfigMap{}, nil, func(event watch.Event) (bool, error) {
		m, ok := event.Object.(*corev1.ConfigMap)
		return ok && m.Data["word"] == "hello", nil
	})
	return err
}

func beforeFake() kubernetes.Interface {
	clientset := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot"}})
	return clientset
}

func beforePager(ctx context.Context, clientset kubernetes.Interface, say func(string)) error {
	return pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return clientset.CoreV1().ConfigMaps("").List(ctx, opts)
	}).EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
		say(obj.(*corev1.ConfigMap).Name)
		return nil
	})
}
