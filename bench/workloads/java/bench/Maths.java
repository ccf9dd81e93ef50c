package bench;

import org.apache.commons.math3.analysis.interpolation.SplineInterpolator;
import org.apache.commons.math3.complex.Complex;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.EigenDecomposition;
import org.apache.commons.math3.linear.LUDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.ode.FirstOrderDifferentialEquations;
import org.apache.commons.math3.ode.nonstiff.DormandPrince853Integrator;
import org.apache.commons.math3.random.MersenneTwister;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;
import org.apache.commons.math3.transform.DftNormalization;
import org.apache.commons.math3.transform.FastFourierTransformer;
import org.apache.commons.math3.transform.TransformType;

/** Commons Math: linear algebra, transforms, an ODE, statistics. */
public final class Maths extends Workload {
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Maths(), args);
    }

    @Override
    protected void prepare(Options options) {
        repeats = options.pick(25, 250);
    }

    @Override
    protected long iterate() {
        Sum sum = new Sum();
        MersenneTwister random = new MersenneTwister(101);
        for (int i = 0; i < repeats; i++) {
            sum.add(round(algebra(random))).add(round(transform(random))).add(round(orbit())).add(round(statistics(random)));
        }
        return sum.get();
    }

    /** Six digits: intrinsics may differ in the last bits between compilers. */
    private static long round(double x) {
        return Math.round(x * 1e6);
    }

    private static double algebra(MersenneTwister random) {
        int n = 60;
        RealMatrix a = new Array2DRowRealMatrix(n, n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                double x = random.nextDouble();
                a.setEntry(i, j, x);
                a.setEntry(j, i, x);
            }
            a.addToEntry(i, i, n);
        }
        RealMatrix inverse = new LUDecomposition(a).getSolver().getInverse();
        double[] values = new EigenDecomposition(a).getRealEigenvalues();
        return inverse.multiply(a).getTrace() + values[0];
    }

    private static double transform(MersenneTwister random) {
        double[] signal = new double[8192];
        for (int i = 0; i < signal.length; i++) signal[i] = Math.sin(i * 0.05) + random.nextDouble();
        FastFourierTransformer fft = new FastFourierTransformer(DftNormalization.STANDARD);
        Complex[] spectrum = fft.transform(signal, TransformType.FORWARD);
        double top = 0;
        for (Complex c : spectrum) top = Math.max(top, c.abs());
        return top;
    }

    private static double orbit() {
        FirstOrderDifferentialEquations gravity = new FirstOrderDifferentialEquations() {
            @Override
            public int getDimension() {
                return 4;
            }

            @Override
            public void computeDerivatives(double t, double[] y, double[] d) {
                double r = Math.pow(y[0] * y[0] + y[1] * y[1], -1.5);
                d[0] = y[2];
                d[1] = y[3];
                d[2] = -y[0] * r;
                d[3] = -y[1] * r;
            }
        };
        double[] y = {1, 0, 0, 1};
        new DormandPrince853Integrator(1e-8, 1, 1e-9, 1e-9).integrate(gravity, 0, y, 60, y);
        return Math.rint(y[0] * 1e4) / 1e4;
    }

    private static double statistics(MersenneTwister random) {
        DescriptiveStatistics all = new DescriptiveStatistics();
        double[] x = new double[200];
        double[] y = new double[200];
        for (int i = 0; i < x.length; i++) {
            x[i] = i;
            y[i] = random.nextGaussian();
            all.addValue(y[i]);
        }
        return new SplineInterpolator().interpolate(x, y).value(17.3) + all.getPercentile(90);
    }
}
