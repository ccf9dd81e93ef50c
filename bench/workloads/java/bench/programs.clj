; Small Clojure programs; the last form is the var of (main n), which returns a string of results.
(ns bench.programs)

(defn histogram [n]
  (->> (range n)
       (map (fn [x] (mod (* x 7919) 101)))
       (filter odd?)
       (reduce (fn [m k] (assoc m k (inc (get m k 0)))) {})
       (sort-by (juxt (comp - val) key))
       (take 5)
       (vec)))

(defprotocol Area (area [this]))
(defrecord Square [side] Area (area [_] (* side side)))
(defrecord Box [w h] Area (area [_] (* w h)))

(defn shapes [n]
  (reduce + (map area (map (fn [i] (if (zero? (mod i 3)) (->Box i 2) (->Square (mod i 17)))) (range n)))))

(defn tree [depth] (if (zero? depth) nil (list (tree (dec depth)) depth (tree (dec depth)))))
(defn total [t] (if (nil? t) 0 (let [[l v r] t] (+ (total l) v (total r)))))

(defmulti event :kind)
(defmethod event :add [e] (:n e))
(defmethod event :drop [e] (- (:n e)))
(defmethod event :default [_] 0)

(defn events [n]
  (loop [i 0 sum 0]
    (if (= i n) sum
        (recur (inc i) (+ sum (event {:kind (nth [:add :drop :other] (mod i 3)) :n i}))))))

(defn words [n]
  (let [text (apply str (interpose " " (map (fn [i] (str "w" (mod (* i i) 37))) (range n))))]
    (->> (clojure.string/split text #" ") frequencies (sort-by (juxt val key)) last)))

(defn vectors [n]
  (let [v (persistent! (reduce conj! (transient []) (range n)))]
    (reduce (fn [acc i] (assoc acc (mod i 64) (+ (get acc (mod i 64) 0) (nth v i)))) (vec (repeat 64 0)) (range n))))

(defn main [rounds]
  (loop [r 0 result ""]
    (if (= r rounds) result
        (recur (inc r)
               (pr-str [(histogram 20000) (shapes 20000) (total (tree 12)) (events 6000) (words 4000)
                        (vectors 20000) (count result)])))))
#'main
