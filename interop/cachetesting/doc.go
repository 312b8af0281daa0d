// Package framework has all names of k8s.io/client-go/tools/cache/testing. Like
// client-go's, it is named framework. It is package cache/testing of the root
// module and two sources whose lists have types of k8s.io/api.
//
// The input are volumes or claims, by calls of Add, Modify and Delete. The output
// is a ListerWatcher whose List returns a PersistentVolumeList or a
// PersistentVolumeClaimList, for code that asserts these types.
//
//	source := framework.NewFakePVControllerSource()
//	defer source.Shutdown()
//	source.Add(&v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
//
// The promises are those of cache/testing; ListError applies to these lists too.
package framework
