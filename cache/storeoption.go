package cache

// StoreOption is an option of NewStore and NewIndexer.
type StoreOption = func(*storeOptions)

type storeOptions struct {
	transformer TransformFunc
	metrics     *storeMetrics
}

// WithTransformer has every object transformed before it is stored. Its key and
// version are those that it had before. If the transformer fails, the write does.
func WithTransformer(transformer TransformFunc) StoreOption {
	return func(o *storeOptions) { o.transformer = transformer }
}

// WithStoreMetrics has the store tell which version it has reached, if identifier
// is reserved: to metrics, or if that is nil to what SetInformerMetricsProvider
// has set.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(o *storeOptions) { o.metrics = newStoreMetrics(identifier, metrics) }
}

// ThreadSafeStoreOption is an option of NewThreadSafeStore.
type ThreadSafeStoreOption = func(*threadSafeStore)

// WithThreadSafeStoreMetrics is WithStoreMetrics for a ThreadSafeStore.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(s *threadSafeStore) { s.metrics = newStoreMetrics(identifier, metricsProvider) }
}
